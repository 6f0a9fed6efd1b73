#!/bin/sh
# One short run on a borrowed GPU: unpack the shards, train for SECONDS_TO_TRAIN, export to OUT.
# Usage: gpu_run.sh PARTS RUN OUT [SECONDS_TO_TRAIN]
#   PARTS  folder with shards.tar.part-* (at most 60 MiB each, made by gpu_pack.sh)
#   RUN    folder of the run; holding a state.safetensors it goes on from there
set -eu
parts=$1 run=$2 out=$3 seconds=${4:-420}
work=$(mktemp -d)
cat "$parts"/shards.tar.part-* | tar -x -C "$work"
device=$(python -c 'import torch; print("cuda" if torch.cuda.is_available() else "cpu")')
rows=${ROWS:-48000} samplers=${SAMPLERS:-12} model=${MODEL:-models/weights/retouch-135m}
python -m models.training "$run" shards="$work" model="$model" device="$device" \
    compiled="${COMPILED:-true}" rank="${RANK:-64}" rows="$rows" pass_rows="$rows" samplers="$samplers" \
    seconds="$seconds" decay_from=0.7 save_seconds=60 held_every=2 rate="${RATE:-0.001}"
python -m models.training.export "$run" "$out"
