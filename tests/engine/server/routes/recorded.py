"""Requests as existing clients were recorded to send them."""

from typing import Any

LLAMA_VIM: dict[str, Any] = {
    "id_slot": 0,
    "input_prefix": "def fib(n):\n    if n < 2: return n\n",
    "input_suffix": "\n\nprint(fib(3))\n",
    "input_extra": [],
    "prompt": "    return ",
    "n_predict": 128,
    "stop": [],
    "n_indent": 4,
    "top_k": 40,
    "top_p": 0.9,
    "samplers": ["top_k", "top_p", "infill"],
    "stream": False,
    "cache_prompt": True,
    "t_max_prompt_ms": 500,
    "t_max_predict_ms": 250,
    "response_fields": [
        "content",
        "timings/prompt_n",
        "timings/prompt_ms",
        "timings/prompt_per_token_ms",
        "timings/prompt_per_second",
        "timings/predicted_n",
        "timings/predicted_ms",
        "timings/predicted_per_token_ms",
        "timings/predicted_per_second",
        "truncated",
        "tokens_cached",
    ],
    "model": "",
}
LLAMA_VIM_HEADERS = {"Authorization": "Bearer ", "Accept": "*/*"}
LLAMA_VIM_WARM = {**LLAMA_VIM, "n_predict": 0, "response_fields": [""]}
MINUET: dict[str, Any] = {
    "model": "retouch",
    "prompt": "# language: python\n# indentation: use \t for a tab\ndef fib(n):\n",
    "suffix": " \nprint(1)",
    "stream": True,
}
MINUET_HEADERS = {"Accept": "application/json", "Content-Type": "application/json"}
CONTINUE_FIM: dict[str, Any] = {
    "model": "retouch",
    "prompt": "def fib(n):\n    ",
    "suffix": "\n",
    "max_tokens": 256,
    "temperature": 0.01,
    "top_p": None,
    "frequency_penalty": None,
    "presence_penalty": None,
    "stop": ["\n\n"],
    "stream": True,
}
CONTINUE_INCEPTION: dict[str, Any] = {
    **CONTINUE_FIM,
    "suffix": "<|endoftext|>",
    "stop": ["/src/", "\n\n", "\n \n"],
}
CONTINUE_HEADERS = {"Accept": "application/json", "User-Agent": "node-fetch"}
EDIT_MESSAGE = """<|recently_viewed_code_snippets|>
<|recently_viewed_code_snippet|>
code_snippet_file_path: b.py
def helper(): pass
<|/recently_viewed_code_snippet|>
<|/recently_viewed_code_snippets|>

<|current_file_content|>
current_file_path: a.py
import os
<|code_to_edit|>
def fib(n):
    return <|cursor|>
<|/code_to_edit|>
print(fib(3))
<|/current_file_content|>

<|edit_diff_history|>
<|/edit_diff_history|>"""
