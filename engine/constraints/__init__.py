"""Languages a finished canvas must belong to; knows nothing of the engine that calls it.

Nothing is imported here, so that `healing` and `prefix_index` stay cheap to import.

Once per process: `vocabulary.Vocabulary(token_bytes)`, `compiler.ConstraintCompiler(vocabulary,
cache_folder)`. Once per request: `spec.check_spec(spec)` -> `compiler.compile(spec)` ->
`Compiled` with its token automaton `dfa` (`dfa.notes` on what was cut) and `check(text)`, which
every result must pass (the hole, or in a document the whole text).
Once per canvas: `canvas.CanvasConstraint(compiled.dfa, specials, texts)`; `texts` are the bytes
before and behind the hole; an `opening.Opening` heals the left boundary.
UnsatisfiableError says where nothing can fit; `least_tokens()` how many tokens are needed,
`feasible_lengths(most)` which numbers of tokens will do.
Once per step: `constraint.step(log_probs, fixed)` -> `StepView`, where `log_probs` [R, V] are the
rows of the open slots only and `fixed` [L] holds ids, -1 where a slot is open:

    view.feasible, view.log_valid      is there a way; log P(valid) (divide by L to compare L)
    view.best                          likeliest path: tokens, confidence, forced
    view.sample(rng)                   a path drawn from the exact joint distribution
    view.marginal(slot, token)         P(token at slot | valid)

Witness rule: reveal any subset of *one* path of the current step; all else may be remasked at will.
`healing` is the small constraint of hole boundaries; `blackbox` and `syntax` judge what is no
automaton. Every refusal is one of `errors`; see README.md for the spelling of JSON.
"""
