import { z } from 'zod';
import {
  characterCount,
  cleanLine,
  cleanLines,
  isMailAddress,
  isTypedLine,
  isTypedLines,
  LONGEST_MAIL_ADDRESS,
  tooLongWords,
} from '../model/form-text.ts';

/** Fields of the forms that people fill in. Every fault is told in a whole sentence, which names the field. */

/** UTF-16 units that are read of a field before anything is counted or cleaned. */
const RAW_AT_MOST = 16_384;

interface TextRule {
  /** The field in words, such as `the card alias`. */
  readonly what: string;
  readonly atMost: number;
  /** Characters at least; 1 where absent. */
  readonly atLeast?: number;
  /** Said where it is missing or too short, in place of the usual words. */
  readonly words?: string;
}

function text(
  { what, atMost, atLeast = 1, words = `Give ${what}.` }: TextRule,
  clean: (text: string) => string,
  isTyped: (text: string) => boolean,
) {
  return z
    .string({ error: words })
    .max(RAW_AT_MOST, tooLongWords(what, atMost))
    .overwrite(clean)
    .refine((value) => characterCount(value) >= atLeast, { error: words })
    .refine((value) => characterCount(value) <= atMost, {
      error: tooLongWords(what, atMost),
    })
    .refine(isTyped, { error: `Remove the control characters from ${what}: they cannot be shown.` });
}

/** A text of one line, cleaned of what cannot be seen at its ends. */
export const line = (rule: TextRule) => text(rule, cleanLine, isTypedLine);

/** A text of several lines. */
export const lines = (rule: TextRule) => text(rule, cleanLines, isTypedLines);

/** The same where nothing is needed: left out, null and empty are one. */
export const optionalLine = (rule: TextRule) => line({ ...rule, atLeast: 0 }).nullish();
export const optionalLines = (rule: TextRule) => lines({ ...rule, atLeast: 0 }).nullish();

/** A mail address. */
export const mailAddress = (words: string) =>
  z
    .string({ error: words })
    .max(LONGEST_MAIL_ADDRESS * 2, words)
    .overwrite(cleanLine)
    .refine(isMailAddress, { error: words });
