// A load in words and as a bar, and one that failed, with the engine's own reason. Pure views; what else the engine refuses
// is error.ts's.

import { html, type TemplateResult } from 'lit';

import type { EngineError } from '../engine/errors';
import type { LoadProgress } from '../engine/protocol';
import { fill, messages } from '../messages';
import { errorWords } from './error';
import { bytes } from './format';

const texts = messages('load', {
  engine: 'Starting the engine',
  download: 'Downloading the model: {received} of {total}',
  start: 'Verified; building the model and testing it',
  label: 'Loading the model',
  failed: 'The model did not load.',
  retry: 'Try again',
});

export function progressText({ stage, received, total }: LoadProgress): string {
  if (stage === 'engine') return texts.engine;
  if (stage === 'start') return texts.start;
  return fill(texts.download, { received: bytes(received), total: bytes(total) });
}

export function loadProgressView(progress: LoadProgress): TemplateResult {
  const text = progressText(progress);
  const share = progress.stage === 'start' ? 1 : progress.total > 0 ? progress.received / progress.total : 0;
  return html`
    <div class="progress">
      <progress max="1" .value=${share} aria-label=${texts.label}></progress>
      <span class="small soft">${text}</span>
    </div>
  `;
}

/** `meaning` is the sentence of the error's code. */
export function loadFailureView(error: EngineError, meaning: string, retry: () => void): TemplateResult {
  return html`
    <div class="alert" role="alert">
      <p><strong>${texts.failed}</strong> ${meaning}</p>
      <p>${errorWords(error)}</p>
      <p><button type="button" @click=${retry}>${texts.retry}</button></p>
    </div>
  `;
}

/** The same in a line, without an alert's noise: on a page of many sections each of them says why it is idle. */
export function idleView(error: EngineError, retry: () => void, sentence: string = texts.failed): TemplateResult {
  return html`
    <p class="soft" data-idle>
      ${sentence} ${errorWords(error)} <button type="button" @click=${retry}>${texts.retry}</button>
    </p>
  `;
}
