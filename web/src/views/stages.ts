// What each stage of the policy left of a distribution, as one small bar chart a stage. A pure view of the engine's
// probabilities; a token that a stage put out has a dashed outline in place of a bar.

import { html, nothing, svg, type TemplateResult } from 'lit';

import type { Distribution } from '../engine/protocol';
import { fill, messages } from '../messages';
import { figureView } from './figure';
import { count, percent, visible } from './format';

const texts = messages('stages', {
  model: 'Model',
  penalties: 'Penalties',
  temperature: 'Temperature',
  top_k: 'Top-k',
  top_p: 'Top-p',
  min_p: 'Min-p',
  greedy: 'Greedy',
  left: '{kept} left',
  out: 'out',
  more: '{count} more below',
  label: 'What each stage leaves: {conclusion}',
  passed: '{stage} leaves {kept}',
  sampled: 'Of {all} tokens, {stages}. The draw took "{token}": {model} by the model, {policy} after the last stage.',
  unchanged: 'No stage put a token out: all {all} stay. The draw took "{token}": {model} by the model, {policy} after the last stage.',
  greedyTook: 'Greedy leaves one token of {all}, the most probable: "{token}", {model} by the model. Nothing is drawn.',
  table: 'Probabilities after each stage, for the first tokens of the order',
  token: 'Token',
  rank: 'Rank',
  logit: 'Logit',
});

type Token = Distribution['tokens'][number];

/** The first tokens of the order, and the chosen one in any case. */
function shownTokens({ tokens, chosen_rank }: Distribution, limit: number): Token[] {
  return tokens.filter(({ rank }, index) => index < limit || rank === chosen_rank);
}

export function chosenToken({ tokens, chosen_rank }: Distribution): Token | undefined {
  return tokens.find(({ rank }) => rank === chosen_rank);
}

export function stagesConclusion(distribution: Distribution): string {
  const { stages } = distribution;
  const chosen = chosenToken(distribution);
  const values = {
    all: count(stages[0]?.kept ?? 0),
    token: visible(chosen?.text ?? ''),
    model: percent(distribution.model_probability),
    policy: percent(chosen?.probabilities.at(-1) ?? 0),
  };
  if (stages.at(-1)?.name === 'greedy') return fill(texts.greedyTook, values);
  const narrowing = stages.filter(({ kept }, index) => index > 0 && kept < (stages[index - 1]?.kept ?? 0));
  if (narrowing.length === 0) return fill(texts.unchanged, values);
  const passed = narrowing.map(({ name, kept }) => fill(texts.passed, { stage: texts[name], kept: count(kept) }));
  return fill(texts.sampled, { ...values, stages: passed.join(', ') });
}

function bar(probability: number, largest: number, isChosen: boolean): TemplateResult {
  const width = (100 * probability) / Math.max(largest, Number.MIN_VALUE);
  return html`
    <svg class="bar" aria-hidden="true">
      ${
        probability > 0
          ? svg`<rect class=${isChosen ? 'kept chosen' : 'kept'} y="2" width="${Math.max(width, 1)}%" height="10"></rect>`
          : svg`<rect class="out" x="1" y="3" width="14" height="8"></rect>`
      }
    </svg>
  `;
}

function stageView(distribution: Distribution, stage: number, tokens: readonly Token[], largest: number): TemplateResult {
  const { name, kept } = distribution.stages[stage] as Distribution['stages'][number];
  const shownKept = tokens.filter((token) => (token.probabilities[stage] ?? 0) > 0).length;
  return html`
    <div>
      <p class="stage-name"><strong>${texts[name]}</strong> <bdi class="soft">${fill(texts.left, { kept: count(kept) })}</bdi></p>
      <div class="bars">
        ${tokens.map((token) => {
          const probability = token.probabilities[stage] ?? 0;
          const isChosen = token.rank === distribution.chosen_rank;
          return html`
            <bdi class="spelling ${isChosen ? 'chosen' : ''} ${probability > 0 ? '' : 'gone'}">${visible(token.text)}</bdi>
            ${bar(probability, largest, isChosen)}
            <bdi class="share">${probability > 0 ? percent(probability) : texts.out}</bdi>
          `;
        })}
      </div>
      ${kept > shownKept ? html`<p class="more soft"><bdi>${fill(texts.more, { count: count(kept - shownKept) })}</bdi></p>` : nothing}
    </div>
  `;
}

/** `limit`: so many tokens of the order are shown. */
export function stagesView(distribution: Distribution, limit = 10): TemplateResult {
  const tokens = shownTokens(distribution, limit);
  const largest = Math.max(...tokens.flatMap(({ probabilities }) => probabilities));
  const conclusion = stagesConclusion(distribution);
  const { stages } = distribution;
  return figureView(
    html`
      <div class="stages" role="img" aria-label=${fill(texts.label, { conclusion })}>
        ${stages.map((_, stage) => stageView(distribution, stage, tokens, largest))}
      </div>
    `,
    conclusion,
    {
      caption: texts.table,
      head: [texts.token, texts.rank, texts.logit, ...stages.map(({ name }) => texts[name])],
      rows: distribution.tokens.map(({ text, rank, logit, probabilities }) => [
        visible(text),
        rank + 1,
        logit === null ? '-\u221e' : Number(logit.toFixed(3)),
        ...probabilities.map(percent),
      ]),
    },
  );
}
