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

export interface VitrineElements {
  'vitrine-autocomplete': ModelElement & { text: string };
  'vitrine-generator': ModelElement & { prompt: string; fields: PolicyFields };
  'vitrine-proof': ModelElement & { for: string | null; run: Run | null };
  'vitrine-parity': ModelElement & { prompt: string; tokens: string; seed: string };
  'vitrine-lanes': ModelElement & { prompt: string; policy: PolicyOptions };
  'vitrine-cache': ModelElement;
  'vitrine-sampling': ModelElement & { prompt: string; fields: SamplingFields; tokens: number };
  'vitrine-inside': ModelElement & { text: string; position: number | null };
  'vitrine-faults': ModelElement & { fault: string };
  'vitrine-training': EngineElement & { text: string; way: 'text' | 'overfit' };
  'vitrine-lab': ModelElement & { name: string };
}

export type ElementName = keyof VitrineElements;

/** Every event bubbles and leaves shadow roots, so a page can listen on its document. */
export interface VitrineEvents {
  'vitrine-text': string;
  'vitrine-run': Run;
  'vitrine-generator-state': { prompt: string; fields: PolicyFields };
  'vitrine-parity-report': ParityReport;
  'vitrine-lanes': readonly RunStep[];
  'vitrine-lanes-state': { prompt: string };
  'vitrine-sampling': { prompt: string; fields: SamplingFields; tokens: number };
  'vitrine-inside': { text: string; position: number | null };
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
