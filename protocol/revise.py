"""Names of revision: how weak tokens are found, replaced, looked at again, and kept by kind."""

from typing import Literal

ReviewName = Literal[
    "none",
    "p2",
    "remdm_cap",
    "remdm_rescale",
    "remdm_conf",
    "remdm_loop",
    "wino",
    "edit",
    "causal_check",
]
"""Rules by which revealed tokens are looked at again."""
MethodName = Literal[
    "posterior",
    "causal",
    "canvas",
    "p2",
    "remdm_cap",
    "remdm_rescale",
    "remdm_conf",
    "remdm_loop",
    "wino",
    "edit",
    "causal_check",
]
"""How a standing text is revised: by a scorer with its proposals, or by a rule over all of it."""
ScorerName = Literal["canvas", "causal", "posterior"]
"""How sure the model is of a token: leave-one-out by the canvas reading or by Bayes, or by the
causal reading, which looks left and is far cheaper."""
KeepName = Literal["identifiers", "literals", "comments"]
"""Kinds of text that must not change."""
