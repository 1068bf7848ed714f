"""Tiny stand-in: scikit-learn's gradient boosting under xgboost's name."""
from sklearn.ensemble import HistGradientBoostingRegressor


class XGBRegressor(HistGradientBoostingRegressor):
    def __init__(self, random_state=None, n_estimators=100, learning_rate=0.1, max_depth=6, objective=None):
        super().__init__(max_iter=n_estimators, learning_rate=learning_rate, max_depth=max_depth, random_state=random_state)
        self.n_estimators, self.objective = n_estimators, objective
