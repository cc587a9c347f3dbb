// The lab "tiny-batch-overfit": <vitrine-training> on one tiny batch, as a lesson on the oldest test of a training loop.

import { html, nothing } from 'lit';

import { lesson } from '../elements/lesson';
import '../elements/training';

export default lesson(
  'tiny-batch-overfit',
  {
    title: 'Overfitting a tiny batch, on purpose',
    question:
      'A small model with random weights trains on the same few lines again and again. Near which value does its loss begin, towards which value does it fall, and what would you conclude if it stopped half-way?',
    hint: 'A model that knows nothing gives each of V tokens about the same probability. And a model that has learned the lines by heart is unsure only where the lines themselves leave it open.',
    task: 'Train on the tiny batch and watch the loss. Compare it with the baseline that counts n-grams on the same batch.',
    reasoning:
      'It begins near ln V, the cross entropy of a uniform guess among V tokens. It falls to almost 0: the model learns the lines by heart. What is left is what the beginning of a line does not decide: where several lines share a beginning, the next token is uncertain, and the loss cannot fall below the entropy of that choice.\nIf it stops half-way, the machinery is at fault and not the data, since there is nothing to generalise to: a gradient that is wrong or not passed on, a target that is shifted by one, a learning rate that is too high or too low, a parameter that the optimiser has forgotten. That makes it the first test of every training loop.\nIt proves nothing about new text. A low loss on what was seen is memory; whether anything was learned is told by a held-out part, and by whether the model beats counting there. And a loss that falls too well, below what the data leave open, is an alarm of its own: then the model sees its answers.',
    q1: 'V = 512 tokens, random weights with small logits. Near which loss, in nats a token, does training begin?',
    q1a: '0.69',
    q1b: '6.2',
    q1c: '512',
    q1why: 'ln 512 = 6.24: the cross entropy of the uniform distribution. A beginning far above it means that the model is sure of wrong answers from the start.',
    q2: 'The loss on the tiny batch stays at 2 nats and falls no further. What is the likeliest reason?',
    q2a: 'Something in the training loop is wrong.',
    q2b: 'The batch is too small to learn from.',
    q2c: 'The model needs a held-out part.',
    q2why: 'A model with more parameters than the batch has tokens can learn it by heart. If it does not, look for the mistake in gradient, targets, optimiser or learning rate.',
    q3: 'Two lines begin alike and go on differently. What is the lowest loss at the token where they part, each line being seen equally often?',
    q3a: '0',
    q3b: 'ln 2, about 0.69',
    q3c: 'ln V',
    q3why: 'The best prediction gives each continuation one half. No model that sees only the common beginning does better.',
    q4: 'The loss on the tiny batch reaches 0.01. What do you know?',
    q4a: 'That the model will do well on new text.',
    q4b: 'That the learning rate is the best possible.',
    q4c: 'That gradients, targets and optimiser work together, and that the model has the capacity for these lines.',
    q4why: 'It is a test of the machinery. For new text there has to be a part that was held out.',
    q5: 'Why is an n-gram baseline shown beside the loss?',
    q5a: 'Because it is the loss that training ends with.',
    q5b: 'Because what counting achieves is the least that a model has to beat for its effort.',
    q5c: 'Because the model is built from n-grams.',
    q5why: 'A loss by itself says little. Beside what counting achieves on the same text, it says whether the network was worth its cost.',
  },
  ['b', 'a', 'b', 'c', 'b'],
  ({ base }) => html`<vitrine-training base=${base ?? nothing} way="overfit"></vitrine-training>`,
);
