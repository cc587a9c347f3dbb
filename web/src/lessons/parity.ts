// The lab "parity": <vitrine-parity> as a lesson, on why two computations of the same sum give the same bits here.

import { html, nothing } from 'lit';

import { lesson } from '../elements/lesson';
import '../elements/parity';

export default lesson(
  'parity',
  {
    title: 'Parity, bit for bit',
    question:
      'A cached step computes one row at a time; the full prefix is computed in one call, many rows at once, with other loops. Floating-point addition is not associative. How many bits of the logits do you expect to differ over 40 tokens, and why?',
    hint: 'Two sums of the same numbers have the same bits if they add in the same order. What decides the order in which a kernel adds?',
    task: 'Check parity. Then try another prompt and seed, and fewer than 17 tokens: a schedule that could not take place is not counted as passed.',
    reasoning:
      'None differ. In most systems some would: a product of one row with a matrix goes to another kernel than a product of many rows, and tiles, threads and vector width change the order of the sums, so the last bits change with the shape of the call.\nHere the order of every sum is a function of the element\u2019s own indices and of nothing else. Vector lanes lie over outputs and not along sums, softmax and norms use a fixed number of accumulators and a fixed tree, and nothing contracts a multiplication and an addition into one rounding.\nThat the difference is 0, and not small, makes the check sharp: a bug cannot hide below a tolerance. Its limit is what both sides have in common: an error that is in both lanes alike has to be caught by logits that were recorded elsewhere.',
    q1: 'Why can two correct programs give different bits for the same sum?',
    q1a: 'Each addition rounds, so the result depends on the order of the additions.',
    q1b: 'Floating-point addition depends on the order of its two operands.',
    q1c: 'Processors add with random rounding.',
    q1why: 'a + b equals b + a, but (a + b) + c need not equal a + (b + c): each intermediate result is rounded.',
    q2: 'What makes the cached logits equal the full-prefix logits here?',
    q2a: 'Both are computed in double and rounded to float32 at the end.',
    q2b: 'The order of each sum depends on the element\u2019s own indices alone, so the call\u2019s shape does not matter.',
    q2c: 'The full prefix is computed with the cache of the other lane.',
    q2why: 'The full prefix starts from an empty cache, in float32. The bits agree because each sum adds the same numbers in the same order.',
    q3: 'A system compares with a tolerance of 0.001 and passes, though bits differ. What can still go wrong?',
    q3a: 'Nothing: the differences are too small to matter.',
    q3b: 'Two logits that lie close together can change places; another token is chosen, and from there the text is another one.',
    q3c: 'The probabilities no longer sum to 1.',
    q3why: 'Choosing a token is discontinuous. One flipped choice changes the prefix of everything that follows.',
    q4: 'Which mistake is invisible to a comparison of cached with uncached?',
    q4a: 'A key that is stored at a wrong slot.',
    q4b: 'A row that is not taken back after a rewind.',
    q4c: 'Another epsilon in every norm, in both lanes.',
    q4why: 'Both lanes agree on the wrong result. Only a vector of logits from outside the run shows it; a bundle carries one as its self-test.',
    q5: 'Why does the check run several schedules, and not one token at a time alone?',
    q5a: 'Mistakes live in particular uses of a cache: after a rewind, at a chunk\u2019s edge, beside a neighbour in a batch.',
    q5b: 'To have more numbers, so that rare rounding errors average out.',
    q5c: 'Because a single schedule takes longer.',
    q5why: 'A row that is stale after a rewind is never read by a generator that only goes forward. Each schedule is there for a family of mistakes.',
  },
  ['a', 'b', 'b', 'c', 'a'],
  ({ base, bundle }) => html`<vitrine-parity base=${base ?? nothing} bundle=${bundle ?? nothing} hide="title"></vitrine-parity>`,
);
