"""Models from local folders: on which device they run, how they are loaded, and how they are told apart.

The one place that imports torch and transformers, and only when a model is loaded.
"""

from conceptloom.models.device import DEFAULT_DEVICE, check_device
from conceptloom.models.loading import LoadedModel, load_model
from conceptloom.models.signature import file_sha256, model_signature

__all__ = ["DEFAULT_DEVICE", "LoadedModel", "check_device", "file_sha256", "load_model", "model_signature"]
