"""Recipes: a typed configuration and the stages made of transforms."""

from conceptloom.pipelines.build.recipe import Recipe
from conceptloom.pipelines.commongen import recipe as commongen
from conceptloom.pipelines.korean_commongen import recipe as korean_commongen
from conceptloom.registry import Registry

RECIPES: Registry[Recipe] = Registry("recipe", "conceptloom.recipes", Recipe)
RECIPES.add(korean_commongen.RECIPE.name, korean_commongen.RECIPE)
RECIPES.add(commongen.RECIPE.name, commongen.RECIPE)

__all__ = ["RECIPES", "Recipe"]
