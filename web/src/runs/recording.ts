// What the page shows while its model loads: a completion and its proof, recorded from the shipped bundle by
// web/record.mjs. A test holds the file to what the bundle really makes.

import file from '../../recorded/shell.json';
import type { JsonObject, RunResult, RunStep } from '../engine/protocol';

export interface Recording {
  name: string;
  model_version: string;
  /** SHA-256 of each part of the bundle, by its name. */
  parts: Record<string, string>;
  architecture: JsonObject;
  text: string;
  completion: RunResult;
  steps: RunStep[];
  result: RunResult;
}

export const recording = file as unknown as Recording;
