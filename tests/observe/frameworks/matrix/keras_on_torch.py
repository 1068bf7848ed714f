import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
from task import BATCH, EPOCHS, data

keras.utils.set_random_seed(0)
x, y = data(1024, 0)
inputs = keras.Input((16,))
h = keras.layers.Dense(64, activation="relu", name="first")(inputs)
h = keras.layers.Dense(64, activation="relu", name="second")(h)
h = keras.layers.Dropout(0.3)(h)
outputs = keras.layers.Dense(4, name="head")(h)
model = keras.Model(inputs, outputs)
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=1e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
model.fit(x, y, batch_size=BATCH, epochs=EPOCHS, validation_data=data(256, 1), verbose=0)
