#!/bin/sh
# Make the parts gpu_run.sh unpacks: gpu_pack.sh SHARDS PARTS
set -eu
mkdir -p "$2"
tar -c -C "$1" train held | split -b 60m - "$2/shards.tar.part-"
