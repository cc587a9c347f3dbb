// Makes <vitrine-lab> and its lessons known; each lesson is loaded when a lab of its name is shown.

import { registerLesson, VitrineLab } from '../elements/lab';
import type { Lesson } from '../elements/lesson';

type Module = { default: Lesson };

const lessons: Record<string, () => Promise<Module>> = {
  'attention-temperature': () => import('./attention-temperature'),
  'attention-by-hand': () => import('./attention-by-hand'),
  'kv-cache-growth': () => import('./kv-cache-growth'),
  'sampling-policy': () => import('./sampling-policy'),
  'causal-mask-failure': () => import('./causal-mask-failure'),
  'tiny-batch-overfit': () => import('./tiny-batch-overfit'),
  parity: () => import('./parity'),
  rope: () => import('./rope'),
};

for (const [name, load] of Object.entries(lessons)) registerLesson(name, async () => (await load()).default);

export { VitrineLab };
