"""One line in the user's code instead of `traindx run`: callbacks for Lightning, the Hugging Face Trainer and Keras,
and a tracker for Accelerate. Each lies in a module named after its framework, which imports it.

    Trainer(..., callbacks=[TraindxCallback()])      # from traindx.callbacks.lightning, .huggingface or .keras
"""
