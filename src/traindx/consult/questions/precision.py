"""The number formats of the training."""

from ._base import Option, Question

QUESTION = Question(
    id="precision",
    ask="In which precision do you train?",
    why="float16 ends at 65504 and loses small gradients: without a GradScaler it gives NaN or stops learning.",
    how="Search for autocast, half(), fp16, bf16 or precision= in your code and configuration.",
    options=(
        Option(
            "fp32",
            "float32 (the default)",
            "you train in float32",
            facts={"precision": {"param_dtypes": {"float32": 1}, "autocast": None, "scaler": False}},
            share=6,
        ),
        Option(
            "bf16",
            "bfloat16 autocast",
            "you train in bfloat16 autocast",
            facts={"precision": {"param_dtypes": {"float32": 1}, "autocast": "bfloat16", "scaler": False}},
            share=2,
        ),
        Option(
            "fp16-scaled",
            "float16 autocast with a GradScaler (fp16=True of a Trainer)",
            "you train in float16 with a GradScaler",
            facts={"precision": {"param_dtypes": {"float32": 1}, "autocast": "float16", "scaler": True}},
            share=2,
        ),
        Option(
            "fp16-unscaled",
            "float16 without a GradScaler",
            "you train in float16 without a GradScaler",
            facts={"precision": {"param_dtypes": {"float32": 1}, "autocast": "float16", "scaler": False}},
            share=0.7,
        ),
        Option(
            "half-weights",
            "The weights themselves in float16 or bfloat16 (.half())",
            "the weights themselves are in half precision",
            {"updates-lost-to-rounding": 0.7},
            {"precision": {"param_dtypes": {"float16": 1}, "autocast": None, "scaler": False}},
            share=0.6,
        ),
    ),
)
