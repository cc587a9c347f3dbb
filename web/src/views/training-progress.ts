// How far a training is, as a bar and in numbers that run. A pure view; a screen reader is told of its stages elsewhere.

import { html, type TemplateResult } from 'lit';

import type { TrainingProgress } from '../engine/training-types';
import { fill, messages } from '../messages';
import { count, magnitude, milliseconds } from './format';

const texts = messages('training-progress', {
  label: 'Progress of the training',
  step: 'Step {step} of {steps}; {parameters} parameters, {tokens} tokens seen, {time}.',
});

/** Of null, before the first news, the bar alone. */
export function trainingProgressView(latest: TrainingProgress | null): TemplateResult {
  const isTraining = latest?.stage === 'training';
  const text = isTraining
    ? fill(texts.step, {
        step: count(latest.step),
        steps: count(latest.steps),
        parameters: magnitude(latest.parameters),
        tokens: count(latest.tokens_seen),
        time: milliseconds(latest.ms),
      })
    : '';
  return html`
    <div class="progress">
      <progress max="1" .value=${isTraining ? latest.step / Math.max(latest.steps, 1) : 0} aria-label=${texts.label}></progress>
      <bdi class="small soft number">${text}</bdi>
    </div>
  `;
}
