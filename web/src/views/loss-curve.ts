// A training's losses as data for the line chart, with its caption and table. Pure functions of the engine's progress.

import type { TrainingProgress } from '../engine/training-types';
import { fill, messages } from '../messages';
import type { FigureTable } from './figure';
import { count } from './format';

const texts = messages('loss-curve', {
  label: 'Loss by step. {conclusion}',
  step: 'step',
  loss: 'loss, nats a token',
  training: 'training loss',
  heldOut: 'held-out loss',
  baseline: 'n-gram baseline',
  begun: 'The first step is yet to come.',
  fell: 'After {step} of {steps} steps the training loss went from {first} to {last} nats a token.',
  below: '{subject} is {gap} below the n-gram baseline ({baseline}).',
  above: '{subject} is still {gap} above the n-gram baseline ({baseline}).',
  subjectHeldOut: 'The held-out loss, {loss},',
  subjectTraining: 'It',
  table: 'Losses by step, in nats a token',
});

type Points = readonly TrainingProgress[];

const nats = (value: number): string => value.toFixed(value < 0.1 ? 4 : 3);

export function lossConclusion(points: Points): string {
  const first = points[0];
  const last = points.at(-1);
  if (first?.loss == null || last?.loss == null) return texts.begun;
  const { step, steps, baseline_loss: baseline, held_out_loss: heldOut } = last;
  const fell = fill(texts.fell, { step: count(step), steps: count(steps), first: nats(first.loss), last: nats(last.loss) });
  if (baseline === null) return fell;
  const loss = heldOut ?? last.loss;
  const subject = heldOut === null ? texts.subjectTraining : fill(texts.subjectHeldOut, { loss: nats(heldOut) });
  const gap = nats(Math.abs(loss - baseline));
  return `${fell} ${fill(loss < baseline ? texts.below : texts.above, { subject, gap, baseline: nats(baseline) })}`;
}

/** For <vitrine-line-chart>. Held-out losses are shown where they were taken, as a line between them. */
export function lossChart(points: Points) {
  const heldOut = points.map(({ held_out_loss }) => held_out_loss);
  const baseline = points.map(({ baseline_loss }) => baseline_loss);
  const has = (values: ReadonlyArray<number | null>): boolean => values.some((value) => value !== null);
  return {
    label: fill(texts.label, { conclusion: lossConclusion(points) }),
    xLabel: texts.step,
    yLabel: texts.loss,
    x: points.map(({ step }) => step),
    lines: [
      { label: texts.training, colour: '--cached', values: points.map(({ loss }) => loss) },
      ...(has(heldOut) ? [{ label: texts.heldOut, colour: '--ink', dash: [8, 4], values: heldOut }] : []),
      ...(has(baseline) ? [{ label: texts.baseline, colour: '--full', dash: [2, 4], values: baseline }] : []),
    ],
    format: (value: number) => value.toFixed(1),
  };
}

/** At most about so many rows: the first, the last, and some between. */
const mostRows = 24;

export function lossTable(points: Points): FigureTable {
  const every = Math.max(1, Math.ceil(points.length / mostRows));
  const shown = points.filter((_, index) => index % every === 0 || index === points.length - 1);
  const cell = (value: number | null): string => (value === null ? '\u2013' : nats(value));
  return {
    caption: texts.table,
    head: [texts.step, texts.training, texts.heldOut, texts.baseline],
    rows: shown.map(({ step, loss, held_out_loss, baseline_loss }) => [
      count(step),
      cell(loss),
      cell(held_out_loss),
      cell(baseline_loss),
    ]),
  };
}
