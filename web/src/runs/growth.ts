// Asks what one more token costs at lengths from one position to the whole context of a loaded model. The engine counts.

import type { LanguageModel } from '../engine/client';
import type { Description, GrowthPoint } from '../engine/protocol';

/** So many lengths, evenly spread. */
export const growthPoints = 17;

export function growthOverContext(model: Pick<LanguageModel, 'growth'>, { architecture }: Description): Promise<GrowthPoint[]> {
  const longest = Number(architecture['max_seq_len']);
  const lengths = Array.from({ length: growthPoints }, (_, index) => Math.max(1, Math.round((longest * index) / (growthPoints - 1))));
  return model.growth(lengths);
}
