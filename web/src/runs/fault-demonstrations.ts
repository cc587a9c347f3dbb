// From a fault to the rows that show it: which prompts run together, for how long, and after which row. It is data alone; fault-trial.ts
// runs it, and the engine does whatever the fault does.

export interface Demonstration {
  rows: ReadonlyArray<{ prompt: string; tokens: number }>;
  /** The first prompt is cut to so many tokens, the token that begins a text included. */
  promptTokens?: number;
  /** A row that runs first and ends: the engine takes its cache back to what the first prompt shares with it. */
  before?: { prompt: string; tokens: number };
  kind: 'alone' | 'length' | 'rewind' | 'batch' | 'ends';
}

const prompt = 'docker run --rm -it';
const longPrompt =
  'docker run --rm -it --name web -p 8080:80 -v /srv/data:/usr/share/nginx/html --restart always --network host nginx latest';

const alone: Demonstration = { kind: 'alone', rows: [{ prompt, tokens: 12 }] };

const batch: Demonstration = {
  kind: 'batch',
  rows: [
    { prompt, tokens: 8 },
    { prompt: 'git commit', tokens: 8 },
    { prompt: 'kubectl get', tokens: 8 },
  ],
};

/** The faults that one row on its way from prompt to text does not show. */
const others: Readonly<Record<string, Demonstration>> = {
  row_zeroed_at_some_lengths: { kind: 'length', rows: [{ prompt: longPrompt, tokens: 12 }], promptTokens: 17 },
  stale_row_after_rewind: { kind: 'rewind', rows: [{ prompt, tokens: 12 }], before: { prompt: 'docker run nginx', tokens: 1 } },
  row_in_neighbours_cache: batch,
  one_draw_for_all_rows: batch,
  finished_row_advances: {
    kind: 'ends',
    rows: [
      { prompt, tokens: 3 },
      { prompt: 'git commit', tokens: 8 },
    ],
  },
};

export const demonstrationOf = (fault: string): Demonstration => others[fault] ?? alone;
