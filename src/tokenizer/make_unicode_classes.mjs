// Writes unicode_classes.hpp: the code points of the Unicode properties L, N and White_Space as ranges, from the
// tables of the JavaScript engine that runs this. Not part of the build; run it again for a newer Unicode:
//   node src/tokenizer/make_unicode_classes.mjs > src/tokenizer/unicode_classes.hpp

const classes = [
  ["kLetterRanges", /^\p{L}$/u],
  ["kNumberRanges", /^\p{N}$/u],
  ["kWhiteSpaceRanges", /^\p{White_Space}$/u],
];

function rangesOf(pattern) {
  const ranges = [];
  for (let codePoint = 0; codePoint < 0x110000; ++codePoint) {
    if (!pattern.test(String.fromCodePoint(codePoint))) continue;
    const last = ranges.at(-1);
    if (last && last[1] === codePoint - 1) last[1] = codePoint;
    else ranges.push([codePoint, codePoint]);
  }
  return ranges;
}

const hex = (codePoint) => "0x" + codePoint.toString(16).toUpperCase().padStart(4, "0");

function table(name, ranges) {
  const lines = [`inline constexpr CodePointRange ${name}[] = {`];
  for (let index = 0; index < ranges.length; index += 5) {
    const row = ranges.slice(index, index + 5).map(([first, last]) => `{${hex(first)}, ${hex(last)}}`);
    lines.push(`    ${row.join(", ")},`);
  }
  lines.push("};");
  return lines.join("\n");
}

console.log(`// Unicode ${process.versions.unicode}: the code points of the properties L, N and White_Space, as ranges in order.
// Made by make_unicode_classes.mjs: not to be edited.
// clang-format off
#pragma once

namespace vitrine {

/// Code points first to last, both included.
struct CodePointRange {
  char32_t first;
  char32_t last;
};
`);
for (const [name, pattern] of classes) console.log(table(name, rangesOf(pattern)) + "\n");
console.log("}  // namespace vitrine");
