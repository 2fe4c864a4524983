import { expect, it } from 'vitest';
import {
  decodeClassifier,
  encodeClassifier,
  OTHER_KINDS,
  QuestionClassifier,
} from '../api/chat/classifier/question-classifier.ts';
import { featuresOf } from '../api/chat/classifier/question-features.ts';
import { createTokenizer } from '../data/model/search/tokenizer.ts';
import { type Example, trainClassifier } from './train-classifier.ts';

const NAMES = ['kraken', 'bybit', 'nexo'];
const tokenizer = createTokenizer([], new Map(NAMES.map((name) => [name, 'exchanges'])));
const LOCK = 0;
const FEE = 1;

const LABELED_QUESTIONS: readonly (readonly [Example['target'], readonly string[]])[] = [
  [LOCK, ['how long is the lock', 'when does the lock end', 'is my stake locked', 'lock length in days']],
  [FEE, ['what is the fee of a top up', 'how much does a top up cost', 'card fee', 'fee for loading']],
  [
    'out-of-scope',
    ['how do i bake bread', 'who won the match', 'weather in paris', 'kraken card fee', 'fee of bybit'],
  ],
];

function examples(labeledQuestions = LABELED_QUESTIONS): readonly Example[] {
  return labeledQuestions.flatMap(([target, questions]) =>
    questions.map((question) => ({ features: featuresOf(question, tokenizer), target })),
  );
}

const trainAndEncode = () => encodeClassifier(trainClassifier(examples(), 2));

const encoded = trainAndEncode();
const classifier = decodeClassifier(encoded, 2);

/** The most probable label of a question: a passage, or a kind of message that no passage answers. */
function labelOf(question: string): number | string {
  const probabilities = classifier.passageProbabilities(
    classifier.features.vectorOf(featuresOf(question, tokenizer)),
  );
  const best = probabilities.indexOf(Math.max(...probabilities));
  return best < 2 ? best : (OTHER_KINDS[best - 2] ?? 'unknown');
}

it('the same phrasings give the same classifier, byte for byte', () => {
  expect(Buffer.compare(trainAndEncode(), encoded)).toBe(0);
});

it.each([
  ['is my stake lockd', LOCK],
  ['when does my lock end', LOCK],
  ['top up fees', FEE],
  ['who will win the match', 'out-of-scope'],
  ['nexo card fee', 'out-of-scope'],
])('finds the label of "%s"', (question, label) => {
  expect(labelOf(question)).toBe(label);
});

it('another example hardly changes the answers to questions without its words', () => {
  const questions = LABELED_QUESTIONS.flatMap(([, texts]) => texts);
  const probabilities = (trained: QuestionClassifier) =>
    questions.flatMap((question) => [
      ...trained.passageProbabilities(trained.features.vectorOf(featuresOf(question, tokenizer))),
    ]);
  const before = probabilities(classifier);
  const zebras = { features: featuresOf('zebras gallop', tokenizer), target: 'out-of-scope' } as const;
  const after = probabilities(new QuestionClassifier(trainClassifier([zebras, ...examples()], 2)));
  const changes = before.map((probability, index) => Math.abs(probability - (after[index] ?? 0)));
  expect(Math.max(...changes)).toBeLessThan(0.1);
});

it('a classifier for a book with more passages is rejected', () => {
  expect(() => decodeClassifier(encoded, 3)).toThrow(Error);
});
