import { z } from 'zod';
import {
  type ConfigProblem,
  type GivenVariables,
  httpUrl,
  onOrOff,
  problemsIfMissing,
  problemsIfSet,
} from './variable-types.ts';

export interface ChatConfig {
  /** An OpenAI-compatible endpoint; null when the portal answers every question itself. */
  readonly model: {
    readonly url: string;
    readonly key: string | null;
    readonly name: string;
  } | null;
  /** Whether questions and answers are stored, without personal data. */
  readonly keepsTranscripts: boolean;
}

export const CHAT_VARIABLES = {
  CHAT_MODEL_URL: httpUrl('https://host/v1').optional(),
  CHAT_MODEL_KEY: z.string().optional(),
  CHAT_MODEL: z.string().optional(),
  CHAT_LOG: onOrOff.default('off'),
} as const;

export function chatConflicts(variables: GivenVariables): readonly ConfigProblem[] {
  return variables.CHAT_MODEL_URL === undefined
    ? problemsIfSet(
        variables,
        ['CHAT_MODEL', 'CHAT_MODEL_KEY'],
        'is set without CHAT_MODEL_URL. Set both, or neither.',
      )
    : problemsIfMissing(variables, ['CHAT_MODEL'], 'is not set. CHAT_MODEL_URL needs the name of a model.');
}

export function chatConfig(values: z.infer<z.ZodObject<typeof CHAT_VARIABLES>>): ChatConfig {
  const { CHAT_MODEL_URL: url, CHAT_MODEL_KEY: key = null, CHAT_MODEL: name } = values;
  return {
    model: url === undefined || name === undefined ? null : { url, key, name },
    keepsTranscripts: values.CHAT_LOG === 'on',
  };
}
