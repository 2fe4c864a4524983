import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UnansweredQuestion } from '../../data/store/chat-port.ts';
import { createWeightOf, groupQuestions, needsAttention } from './group-questions.ts';
import { sampleBook } from './testing/sample-book.ts';

const book = sampleBook();
const unansweredQuestion = (
  question: string,
  timesAsked = 1,
  timesAskedAtDismissal = 0,
): UnansweredQuestion => ({
  question,
  timesAsked,
  firstAskedAt: 1,
  lastAskedAt: 2,
  timesAskedAtDismissal,
});
const group = (questions: readonly UnansweredQuestion[]) =>
  groupQuestions(questions, book.tokenizer.tokensOf, book.weightOf);
const textsOf = (questions: readonly UnansweredQuestion[]) =>
  group(questions).map((one) => one.questions.map(({ question }) => question));

const WORDS = ['mobile', 'app', 'android', 'phone', 'stake', 'locked', 'fee', 'the', 'of', '…'];
const someQuestions = fc
  .uniqueArray(
    fc.record({
      question: fc
        .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 })
        .map((words) => words.join(' ')),
      timesAsked: fc.integer({ min: 1, max: 4 }),
    }),
    { selector: ({ question }) => question, maxLength: 30 },
  )
  .map((list) => list.map(({ question, timesAsked }) => unansweredQuestion(question, timesAsked)));

describe('unanswered questions', () => {
  it('are grouped if most of their meaning agrees, the most asked group first', () => {
    const questions = [
      unansweredQuestion('is there a mobile app', 2),
      unansweredQuestion('where is my parrot', 4),
      unansweredQuestion('mobile app please', 3),
      unansweredQuestion('a mobile app for … phones'),
    ];
    expect(textsOf(questions)).toEqual([
      ['mobile app please', 'is there a mobile app', 'a mobile app for … phones'],
      ['where is my parrot'],
    ]);
    expect(group(questions).map(({ timesAsked }) => timesAsked)).toEqual([6, 4]);
  });

  it('are not grouped just because they share a word that is on many pages', () => {
    expect(textsOf([unansweredQuestion('stake bridge'), unansweredQuestion('stake parrot')])).toHaveLength(2);
  });

  it('form one group if they have no meaningful words', () => {
    expect(
      textsOf([
        unansweredQuestion('… of the'),
        unansweredQuestion('what … is'),
        unansweredQuestion('parrot'),
      ]),
    ).toHaveLength(2);
  });

  it('are each in exactly one group, whose count is the sum of its questions’ counts', () => {
    fc.assert(
      fc.property(someQuestions, (questions) => {
        const groups = group(questions);
        const members = groups.flatMap((one) => one.questions);
        expect(members.toSorted((one, other) => (one.question < other.question ? -1 : 1))).toEqual(
          questions.toSorted((one, other) => (one.question < other.question ? -1 : 1)),
        );
        for (const one of groups) {
          expect(one.timesAsked).toBe(one.questions.reduce((sum, { timesAsked }) => sum + timesAsked, 0));
        }
        expect(groups).toEqual(groups.toSorted((one, other) => other.timesAsked - one.timesAsked));
      }),
    );
  });

  it('are grouped the same way in any order', () => {
    const shuffled = someQuestions.chain((questions) =>
      fc.tuple(fc.constant(questions), fc.shuffledSubarray(questions, { minLength: questions.length })),
    );
    fc.assert(
      fc.property(shuffled, ([one, other]) => {
        expect(group(other)).toEqual(group(one));
      }),
    );
  });
});

it('a token weighs more if fewer passages contain it', () => {
  const passage = (text: string) => ({ title: text, text, askedAs: [] });
  const weightOf = createWeightOf([passage('one two'), passage('one')], {
    tokensOf: (text) => text.split(/\s/),
  });
  expect(weightOf('three')).toBeGreaterThan(weightOf('two'));
  expect(weightOf('two')).toBeGreaterThan(weightOf('one'));
});

it.each([
  ['was never dismissed', true, [unansweredQuestion('a')]],
  ['was dismissed and not asked since', false, [unansweredQuestion('a', 9, 9)]],
  ['was asked too rarely since it was dismissed', false, [unansweredQuestion('a', 13, 9)]],
  [
    'was asked often since it was dismissed, in any wording',
    true,
    [unansweredQuestion('a', 12, 9), unansweredQuestion('b', 2)],
  ],
])('whether a group that %s is shown: %s', (_case, isShown, [first = unansweredQuestion(''), ...others]) => {
  expect(needsAttention({ questions: [first, ...others], timesAsked: 1 }, 5)).toBe(isShown);
});
