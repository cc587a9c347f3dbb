// The lab "causal-mask-failure": <vitrine-faults> with the mask dropped, as a lesson on what a causal mask is for, what
// breaks without it, and who notices.

import { html, nothing } from 'lit';

import '../elements/faults';
import { lesson } from '../elements/lesson';

export default lesson(
  'causal-mask-failure',
  {
    title: 'When the causal mask is missing',
    question:
      'A faulty model drops the causal mask: a token sees the tokens that come after it in the same call. It reads a prompt in one call and then decodes token by token with its cache. Beside it the healthy model reads the full prefix anew for each token. From which token on do their logits differ, and would you see it in the text?',
    hint: 'In a call with one new token, how much is there for the mask to hide? And in the call that reads the prompt?',
    task: 'The fault is chosen. Say what you expect of the lanes and of the detectors, run it, and compare. Then run "rope_twice" and see which detector is left.',
    reasoning:
      'From the first token on. Prefill is a call with many new tokens, and without the mask each prompt token mixes in those after it. So the residual streams of the prompt are wrong from the first attention on, and with them the keys and values that every layer but the first stores. A decode step has one new token at the end: it leaves nothing for a mask to hide and does nothing wrong itself, but it reads what was stored wrongly.\nWhether the text changes is another matter. The logits may move and the same token still be the most probable one: looking at outputs is a poor detector, and comparing bits a good one.\nCaching is correct only because of the mask: an earlier token\u2019s keys and values may be kept because nothing that comes later can change them.\nIn training the fault is worse, because it looks like success. The token to be predicted is visible, so the loss falls far below what is possible. Hence the detectors that do not compare lanes: causality_probe changes later tokens and expects no bit to move, gradient_leak expects a gradient of exactly zero, and loss_floor trains on tokens that nobody can predict and rings when the loss falls below their entropy.',
    q1: 'Which call does the missing mask disturb directly?',
    q1a: 'A decode step with one new token.',
    q1b: 'A call with several new tokens, such as prefill.',
    q1c: 'Both alike.',
    q1why: 'The mask hides what comes after a token in the same call. After the only new token there is nothing.',
    q2: 'Suppose both lanes had the fault. What would comparing them show at the first new token, and after it?',
    q2a: 'No difference at the first, since both lanes made the same wrong computation; differences after it, when one lane reads what it stored and the other computes anew.',
    q2b: 'No difference at all: both are wrong alike.',
    q2c: 'Differences from the first token on.',
    q2why: 'The full prefix grows by a token each time, and all tokens before it see the new one. What the cache stored was computed without it.',
    q3: 'Training runs without the mask. What does the loss do?',
    q3a: 'It stays high, since the model is confused by what it sees.',
    q3b: 'It falls to an impossibly good value, and the model is useless for generating.',
    q3c: 'It falls as usual; only generation becomes slower.',
    q3why: 'The answer is among the inputs, and the model learns to copy it. When it generates there is no answer to copy.',
    q4: 'Why is a loss below the entropy of random tokens a proof of a leak, and not of a good model?',
    q4a: 'Because no model that sees only earlier tokens can predict independent, uniform tokens better than by chance, apart from luck whose probability is bounded.',
    q4b: 'Because small models always overfit.',
    q4c: 'Because cross entropy cannot fall below 1 nat.',
    q4why: 'Independent uniform tokens have an entropy that no causal predictor beats in expectation. The alarm is set where luck would have a probability of e to the minus 30.',
    q5: 'Which detector needs neither a second lane nor recorded logits?',
    q5a: 'parity',
    q5b: 'self_test',
    q5c: 'causality_probe',
    q5why: 'It changes tokens after a position and looks whether any bit up to there moves. In a causal model none does.',
  },
  ['b', 'a', 'b', 'a', 'c'],
  ({ base, bundle }) =>
    html`<vitrine-faults base=${base ?? nothing} bundle=${bundle ?? nothing} fault="causal_mask_dropped"></vitrine-faults>`,
);
