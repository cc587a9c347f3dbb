// The engine's session as this code needs it, made by the wasm module or, in tests, by a stand-in.
// Types only: the module's own declarations are generated, and a test holds the two together.

/** Errors are thrown as Error objects with a `code` of errors.ts. Strings that hold JSON are named so. */
export interface EngineSession {
  /** manifest.json first, then every part that it lists; each is verified as it arrives. */
  addFile(name: string, bytes: Uint8Array): void;
  /** Builds the model and runs its self-test; gives the Description as JSON. */
  load(): string;
  encode(text: string): Int32Array;
  decode(ids: Int32Array): string;
  complete(text: string, policyJson: string): string;
  /** Gives the row's number, its prompt's tokens and its effective policy. */
  start(prompt: string, policyJson: string, optionsJson: string): string;
  /** One pass for these rows together: a step of each that had not finished. A row that failed says so in its step. */
  step(rows: number[]): string;
  /** The row's result so far. */
  result(row: number): string;
  /** Takes back the row's last tokens, and the end that it had. */
  rewind(row: number, tokens: number): void;
  save(row: number): Uint8Array;
  restore(file: Uint8Array): number;
  inspect(row: number, position: number): string;
  mapCache(row: number): string;
  /** Needs no bundle. */
  lesson(name: string, inputJson: string): string;
  /** Ends a row; one that has ended stays as it is. */
  cancel(row: number): void;
  /** The row's result; the row is forgotten. */
  finish(row: number): string;
  /** Takes a TrainingRequest, checks it and gives the first TrainingProgress, without its time. Needs no bundle. */
  beginTraining(requestJson: string): string;
  /** Does what the progress's stage names, up to the stage "bundle". */
  trainStep(): string;
  /** Makes the bundle of what was learned and loads it; rows of the model before are gone. Names the bundle's files. */
  endTraining(): string;
  trainedFile(name: string): Uint8Array;
  dropTraining(): void;
  describeCache(): string;
  growth(positions: number[]): string;
  /** Needs no bundle. */
  listFaults(): string;
  detect(fault: string): string;
  checkParity(prompt: string, optionsJson: string): string;
  delete(): void;
}

export type SessionFactory = (moduleUrl: string) => Promise<EngineSession>;
