// The public face of the elements as types, for who uses them from TypeScript: properties by element, and the detail of
// each event. It needs no library, and tests hold the elements to it.

import type { ParityReport, PolicyOptions, RunStep } from './engine/protocol';
import type { TrainingResult } from './engine/training-types';
import type { Run } from './runs/run';
import type { LabResult } from './state/lab-record';
import type { PolicyFields } from './state/policy-fields';
import type { SamplingFields } from './state/sampling-fields';

/** What every element has that needs the model. */
export interface EngineElement extends HTMLElement {
  /** The folder of the engine's files; null: that of the script. Read when the element enters a document. */
  base: string | null;
}

export interface ModelElement extends EngineElement {
  /** The folder of the model's bundle; null: models/shell/ in the base. */
  bundle: string | null;
}

/** What a visitor sets in an element: `Object.assign(element, state)` sets it again. */
export type VitrineStates = {
  'vitrine-autocomplete': { text: string };
  'vitrine-generator': { prompt: string; fields: PolicyFields };
  /** Numbers are as they were typed. */
  'vitrine-parity': { prompt: string; tokens: string; seed: string };
  'vitrine-lanes': { prompt: string };
  'vitrine-sampling': { prompt: string; fields: SamplingFields; tokens: number };
  /** A position of null is the last token. */
  'vitrine-inside': { text: string; position: number | null };
  'vitrine-faults': { fault: string };
  /** Numbers are as they were typed; an empty text leaves the choice to the engine. */
  'vitrine-training': { text: string; way: 'text' | 'overfit'; steps: string; seed: string };
};

export interface VitrineElements {
  'vitrine-autocomplete': ModelElement & VitrineStates['vitrine-autocomplete'];
  'vitrine-generator': ModelElement & VitrineStates['vitrine-generator'];
  'vitrine-proof': ModelElement & { for: string | null; run: Run | null };
  'vitrine-parity': ModelElement & VitrineStates['vitrine-parity'];
  'vitrine-lanes': ModelElement & VitrineStates['vitrine-lanes'] & { policy: PolicyOptions };
  'vitrine-cache': ModelElement;
  'vitrine-sampling': ModelElement & VitrineStates['vitrine-sampling'];
  'vitrine-inside': ModelElement & VitrineStates['vitrine-inside'];
  'vitrine-faults': ModelElement & VitrineStates['vitrine-faults'];
  'vitrine-training': EngineElement & VitrineStates['vitrine-training'];
  'vitrine-lab': ModelElement & { name: string };
}

export type ElementName = keyof VitrineElements;

/** Every event bubbles and leaves shadow roots, so a page can listen on its document. */
export interface VitrineEvents {
  /** The visitor set something; the detail is all that is set in the event's target. */
  'vitrine-state': VitrineStates[keyof VitrineStates];
  'vitrine-run': Run;
  'vitrine-parity-report': ParityReport;
  'vitrine-lanes': readonly RunStep[];
  'vitrine-faults': { fault: string; right: number; asked: number };
  'vitrine-trained': TrainingResult;
  'vitrine-lab-predicted': { lab: string; predicted: string };
  'vitrine-lab-result': LabResult;
  'vitrine-lab-forgotten': { lab: string };
}

type CustomEvents = { [Name in keyof VitrineEvents]: CustomEvent<VitrineEvents[Name]> };

declare global {
  interface HTMLElementTagNameMap extends VitrineElements {}
  interface HTMLElementEventMap extends CustomEvents {}
  interface DocumentEventMap extends CustomEvents {}
}

export type { LabResult, ParityReport, PolicyFields, PolicyOptions, Run, RunStep, SamplingFields, TrainingResult };
