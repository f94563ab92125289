#!/usr/bin/env bash
# Regenerates Sources/MoyeoAPI/Generated from proto/ (make proto). Needs protoc (Debian
# protobuf-compiler); the two plugins are built from the packages this project depends on.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=${MOYEO_PLUGIN_SCRATCH:-.build/plugins}
swift build -c release --scratch-path "$scratch" --product protoc-gen-swift
swift build -c release --scratch-path "$scratch" --product protoc-gen-grpc-swift-2
bin=$(swift build -c release --scratch-path "$scratch" --show-bin-path)
out=Sources/MoyeoAPI/Generated
options=Visibility=Public,FileNaming=DropPath,UseAccessLevelOnImports=true
rm -rf "$out"
mkdir -p "$out"
protoc -I proto \
  --plugin=protoc-gen-swift="$bin/protoc-gen-swift" \
  --plugin=protoc-gen-grpc-swift="$bin/protoc-gen-grpc-swift-2" \
  --swift_out="$options:$out" --grpc-swift_out="$options:$out" \
  proto/moyeo/v1/*.proto proto/grpc/health/v1/*.proto

# The descriptors of moyeo.v1, for the JSON mapping and /openapi.json.
protoc -I proto --include_imports --descriptor_set_out="$out/descriptors.bin" proto/moyeo/v1/*.proto
{
  echo "// Made by proto/generate.sh; do not edit."
  echo
  echo "/// The FileDescriptorSet of moyeo.v1 and what it imports, in base 64."
  echo "let descriptorSetBase64 ="
  echo '  """'
  base64 -w 96 "$out/descriptors.bin" | sed 's/^/  /; s/$/\\/'
  echo '  '
  echo '  """'
} > "$out/DescriptorSet.swift"
rm "$out/descriptors.bin"
# Optional fields as Swift optionals.
python3 proto/field-presence.py "$out"
# What the comments say, for /openapi.json.
python3 proto/schema-texts.py "$out"
