// What each lesson's arithmetic takes and gives, as types. The messages that carry them are protocol.ts's; the arithmetic is
// the engine's (src/session).

/** The arithmetic of a lesson, done by the engine's own kernels and layers. */
export interface Lessons {
  /** softmax(scores / temperature), with the same in double beside it. */
  attention_temperature: {
    input: { scores: number[]; temperature: number };
    result: { weights: number[]; reference: number[]; entropy_bits: number; max_difference: number; tolerance: number };
  };
  /** One head by hand; matrices are rows of numbers: q is [T, D], k is [S, D], v is [S, D], the last query sees all. */
  attention_by_hand: {
    input: { q: number[][]; k: number[][]; v: number[][]; causal: boolean };
    result: {
      shapes: Record<'q' | 'k' | 'v' | 'scores' | 'weights' | 'output', [number, number]>;
      scale: number;
      products: number[][];
      scores: number[][];
      /** Null where the mask forbids to look. */
      masked: Array<Array<number | null>>;
      weights: number[][];
      output: number[][];
      reference: number[][];
      max_difference: number;
      tolerance: number;
    };
  };
  /** A query and a key rotated to their positions, and the product of the two, which their distance alone decides. */
  rope: {
    input: { query: number[]; key: number[]; query_position: number; key_position: number; theta: number };
    result: {
      pairs: Array<{
        frequency: number;
        query_angle: number;
        key_angle: number;
        query: { before: [number, number]; after: [number, number] };
        key: { before: [number, number]; after: [number, number] };
      }>;
      product: number;
      /** The product with both positions moved by each of these shifts. */
      shifted: Array<{ shift: number; product: number }>;
    };
  };
}

export type LessonName = keyof Lessons;
