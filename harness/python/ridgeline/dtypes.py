"""Element types by the names that cases have them, and how far a result may be off in each."""

import numpy as np

# NumPy has no bf16: its values are held in f32, rounded.
HELD_AS = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": np.float32,
    "i64": np.int64,
    "i32": np.int32,
    "i16": np.int16,
    "i8": np.int8,
    "u8": np.uint8,
    "bool": np.bool_,
}

# Of outputs alone.
COMPLEX = {"c64": np.complex64, "c128": np.complex128}

# Of |got - expected| / (|expected| + rms of all expected). Sums of some ten thousand terms stay
# below it. TF32 and bf16 in place of f32 do not (3e-4, 2e-3), nor does f32 in place of f64 (3e-8).
TOLERANCE = {"f64": 2.0**-36, "f32": 2.0**-14, "f16": 2.0**-9, "bf16": 2.0**-6}
TOLERANCE |= {"c128": TOLERANCE["f64"], "c64": TOLERANCE["f32"]}  # of each part

# Bits of a mantissa; of a complex output, those of its parts.
PRECISION = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8, "c128": 53, "c64": 24}


def is_float(dtype: str) -> bool:
    return dtype in PRECISION


def name_of(dtype: object) -> str:
    """Of a dtype of NumPy, CuPy or torch: "f32"; of any other, what it calls itself."""
    text = str(dtype).rsplit(".", 1)[-1]
    known = {
        "float64": "f64",
        "double": "f64",
        "float32": "f32",
        "float": "f32",
        "float16": "f16",
        "half": "f16",
        "bfloat16": "bf16",
        "complex128": "c128",
        "cdouble": "c128",
        "complex64": "c64",
        "cfloat": "c64",
        "int64": "i64",
        "int32": "i32",
        "int16": "i16",
        "int8": "i8",
        "uint8": "u8",
        "bool": "bool",
    }
    return known.get(text, text)


def to_bf16(values: np.ndarray) -> np.ndarray:
    """f32 values rounded to the nearest of bf16, ties to even; still f32. Without NaN."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(
        0xFFFF0000
    )
    return rounded.view(np.float32)


def rounded(values: np.ndarray, dtype: str) -> np.ndarray:
    """`values` as the type holds them, in the type of NumPy that stands for it."""
    if dtype == "bf16":
        return to_bf16(values)
    return np.ascontiguousarray(values, HELD_AS[dtype])
