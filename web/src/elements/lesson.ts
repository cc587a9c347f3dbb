// What a lab's lesson consists of: its texts, the quiz and the figure. Texts come from the messages, so a course can
// replace each of them. It shows nothing; <vitrine-lab> does.

import type { TemplateResult } from 'lit';

import { messages, type Messages } from '../messages';

export interface Question {
  prompt: string;
  options: readonly string[];
  /** The right option's index. */
  right: number;
  /** Why it is right, shown when the answers are checked. */
  why: string;
}

/** Texts of several paragraphs have a line break between them. */
export type LessonText = 'title' | 'question' | 'hint' | 'task' | 'reasoning';

/** Where the engine's files are, as the lab was told: for its figure. */
export interface FigureFiles {
  base: string | null;
  bundle: string | null;
}

export interface Lesson {
  text: Messages<LessonText>;
  quiz: () => Question[];
  figure: (files: FigureFiles) => TemplateResult;
}

/** Of the questions of a quiz, this share must be right. */
export const passMark = 0.8;

const letters = ['a', 'b', 'c', 'd'] as const;
type Letter = (typeof letters)[number];

/**
 * A lesson whose texts are messages of the scope `lab-NAME`. Question 1 of the quiz is `q1`, its options `q1a` to `q1d`,
 * its explanation `q1why`; `answers` has the letter of each right option.
 */
export function lesson<Name extends string>(
  name: string,
  texts: Messages<LessonText | Name>,
  answers: readonly Letter[],
  figure: Lesson['figure'],
): Lesson {
  const text = messages<string>(`lab-${name}`, texts);
  const quiz = (): Question[] =>
    answers.map((letter, index) => {
      const at = (suffix: string): string => text[`q${index + 1}${suffix}`] ?? '';
      const options = letters.filter((option) => at(option) !== '');
      return { prompt: at(''), options: options.map(at), right: options.indexOf(letter), why: at('why') };
    });
  return { text: text as Messages<LessonText>, quiz, figure };
}

export const paragraphs = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');
