export function scriptedBundle(follows: Iterable<readonly [number, number]>): Map<string, Uint8Array>;
