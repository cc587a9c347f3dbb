// The lab "sampling-policy": <vitrine-sampling> as a lesson, on what each stage keeps, in which order, and what a seed is.

import { html, nothing } from 'lit';

import { lesson } from '../elements/lesson';
import '../elements/sampling';

export default lesson(
  'sampling-policy',
  {
    title: 'The sampling policy, stage by stage',
    question:
      'A policy keeps the 5 most probable tokens (top-k 5) and then applies top-p 0.9. Are these the tokens that top-p 0.9 keeps without the top-k? Say why, or give a case in which they are not.',
    hint: 'What does a stage get to see: the model\u2019s own probabilities, or what the stage before it left, as shares of a new whole?',
    task: 'Set top-k and top-p, choose a token, and look at what each stage leaves. Then draw again with another seed: which bars move, and which do not?',
    reasoning:
      'Not always. Each stage sees what the one before left, renormalised. Suppose the model gives 0.40, 0.20, 0.10, 0.08, 0.07 and a long tail that holds 0.15. Top-p 0.9 alone needs these five and some of the tail, since the five hold 0.85. After top-k 5 they are the whole: 0.47, 0.24, 0.12, 0.09, 0.08. The first four now hold 0.92, so top-p keeps four. Cutting first makes the later stage cut more.\nThe order of the stages is therefore part of what a policy means: penalties, temperature, top-k, top-p, min-p, draw. A temperature comes before top-p, so a high one flattens the distribution and lets more tokens pass.\nThe seed moves none of the bars. It names the random numbers: the coin of a step is a function of seed, row and step alone. The same policy with the same seed gives the same text, whatever other rows do; greedy decoding has no coin, and so no use for a seed.',
    q1: 'Which of these can change the order of the tokens, and not only which of them are left and how the probability is shared?',
    q1a: 'The temperature.',
    q1b: 'Top-p.',
    q1c: 'A repetition penalty.',
    q1why: 'Temperature divides all logits alike, and the filters keep the beginning of one order. Penalties change single logits, so a token can fall behind another.',
    q2: 'The temperature falls from 1 to 0.5, and top-p stays 0.9. How many tokens pass top-p?',
    q2a: 'As many or fewer.',
    q2b: 'As many or more.',
    q2c: 'The same: top-p is a share of the probability.',
    q2why: 'A lower temperature gathers the probability on the first tokens, so fewer of them hold 0.9 of it.',
    q3: 'Two runs in mode greedy differ in their seed alone. What do their texts look like?',
    q3a: 'Different, unless the seeds have the same parity.',
    q3b: 'The same.',
    q3c: 'Different only where two tokens are equally probable.',
    q3why: 'Greedy takes the largest logit, and the lowest id where two are equal. It draws nothing.',
    q4: 'Min-p 0.1 keeps the tokens that have at least a tenth of the best token\u2019s probability. How does that differ from a fixed top-k?',
    q4a: 'It always keeps more tokens.',
    q4b: 'It keeps few tokens where the model is sure, and many where it is not.',
    q4c: 'It depends on the seed.',
    q4why: 'Where one token has 0.95, nothing else has a tenth of it. Where the best has 0.05, all with 0.005 and more stay. A fixed k knows nothing of that.',
    q5: 'You want to give somebody a text that they can reproduce token by token. What do you have to hand over?',
    q5a: 'The prompt and the seed.',
    q5b: 'The prompt, the effective policy with its seed, and which model it was.',
    q5c: 'The prompt and the probabilities of the tokens.',
    q5why: 'The seed names the coins, but which token a coin picks depends on every stage of the policy, and on the logits of the model. A link to this page carries all three.',
  },
  ['c', 'a', 'b', 'b', 'b'],
  ({ base, bundle }) => html`<vitrine-sampling base=${base ?? nothing} bundle=${bundle ?? nothing}></vitrine-sampling>`,
);
