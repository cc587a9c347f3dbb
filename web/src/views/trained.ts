// What can be done with a model that was trained in the page: generate from it, with the proof beside what it wrote, and
// save it as a bundle. A pure view.

import { html, nothing, type TemplateResult } from 'lit';

import type { RunResult } from '../engine/protocol';
import type { TrainingResult } from '../engine/training-types';
import { fill, messages } from '../messages';
import { bytes } from './format';
import { spokenView } from './spoken';
import { textFieldView } from './text-field';
import { verdictView } from './verdict';

const texts = messages('trained', {
  title: 'Generate from it',
  prompt: 'Prompt',
  generate: 'Generate',
  generating: 'Generating, with parity.',
  output: 'Generated text',
  save: 'Save it as a bundle',
  about: 'A folder of {files} files, {bytes}: vitrine generate --bundle {name} --prompt "..." continues with the same bits.',
});

export interface Trained {
  result: TrainingResult;
  prompt: string;
  /** What was generated last, and from what. */
  sample: { prompt: string; result: RunResult } | null;
  generating: boolean;
  /** The prompt was refused; the error's view has the id "error". */
  wrong: boolean;
  onPrompt: (prompt: string) => void;
  onGenerate: () => void;
  onSave: () => void;
}

export function trainedView({ result, prompt, sample, generating, wrong, onPrompt, onGenerate, onSave }: Trained): TemplateResult {
  const { files, description } = result;
  const size = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const submit = (event: Event): void => {
    event.preventDefault();
    onGenerate();
  };
  return html`
    <div class="made" part="made">
      <h3>${texts.title}</h3>
      <form part="generate" @submit=${submit} novalidate>
        <label for="prompt">${texts.prompt}</label>
        <div class="line">
          ${textFieldView({ id: 'prompt', value: prompt, wrong, onInput: onPrompt })}
          <button type="submit" class="primary" aria-disabled=${generating}>${texts.generate}</button>
        </div>
      </form>
      ${spokenView(sample?.result.text ?? '', true)}
      <p class="small soft" role="status">${generating ? texts.generating : ''}</p>
      ${
        sample
          ? html`
              <div class="output" role="group" tabindex="0" aria-label=${texts.output}>
                <p dir="auto"><span class="given">${sample.prompt}</span><span data-output>${sample.result.text}</span></p>
              </div>
              ${verdictView(sample.result.parity)}
            `
          : nothing
      }
      <p class="small soft">${fill(texts.about, { files: files.length, bytes: bytes(size), name: description.name })}</p>
      <button type="button" part="save" @click=${onSave}>${texts.save}</button>
    </div>
  `;
}
