// The buttons that step and run: step once, and run until the same button pauses. A pure view; who shows them steps.

import { html, type TemplateResult } from 'lit';

export interface SteppingButtons {
  canStep: boolean;
  running: boolean;
  texts: Readonly<Record<'step' | 'run' | 'pause', string>>;
  onStep: () => void;
  onRun: () => void;
  onPause: () => void;
}

export function steppingButtonsView({ canStep, running, texts, onStep, onRun, onPause }: SteppingButtons): TemplateResult {
  return html`
    <button type="button" part="step" class="primary" data-step aria-disabled=${!canStep} @click=${() => canStep && onStep()}>
      ${texts.step}
    </button>
    <button
      type="button"
      part="run"
      data-run
      aria-disabled=${!canStep && !running}
      @click=${() => (running ? onPause() : canStep && onRun())}
    >
      ${running ? texts.pause : texts.run}
    </button>
  `;
}
