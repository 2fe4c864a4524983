import { z } from 'zod';
import { isHttpUrl } from './http-url.ts';

/** The variables about the assistant. */

export interface ChatConfig {
  /** An OpenAI-compatible endpoint; null where answers are the portal's own alone. */
  readonly model: {
    readonly url: string;
    /** Null where it asks for none. */
    readonly key: string | null;
    readonly name: string;
  } | null;
  /** Whether questions and answers are kept, without personal data. */
  readonly keepsTranscripts: boolean;
}

export const CHAT_VARIABLES = {
  CHAT_MODEL_URL: z
    .string()
    .refine(isHttpUrl, 'is not an http(s) URL without a user. Write it as https://host/v1.')
    .optional(),
  CHAT_MODEL_KEY: z.string().optional(),
  CHAT_MODEL: z.string().optional(),
  CHAT_LOG: z.enum(['on', 'off'], { error: 'is neither on nor off.' }).default('off'),
} as const;

type Given = Readonly<Record<string, string | undefined>>;

/** Faults of variables that are right alone and wrong together. */
export function chatContradictions({ CHAT_MODEL_URL: url, CHAT_MODEL: name, CHAT_MODEL_KEY: key }: Given) {
  if (url !== undefined && name === undefined) {
    return [{ variable: 'CHAT_MODEL', fault: 'is not set. CHAT_MODEL_URL needs the name of a model.' }];
  }
  if (url !== undefined) return [];
  const alone = { CHAT_MODEL: name, CHAT_MODEL_KEY: key };
  return Object.entries(alone)
    .filter(([, value]) => value !== undefined)
    .map(([variable]) => ({ variable, fault: 'is set without CHAT_MODEL_URL. Set both, or neither.' }));
}

/** The chat part of a checked environment. */
export function chatConfig(values: {
  readonly CHAT_MODEL_URL?: string | undefined;
  readonly CHAT_MODEL_KEY?: string | undefined;
  readonly CHAT_MODEL?: string | undefined;
  readonly CHAT_LOG: 'on' | 'off';
}): ChatConfig {
  const { CHAT_MODEL_URL: url, CHAT_MODEL_KEY: key = null, CHAT_MODEL: name } = values;
  return {
    model: url === undefined || name === undefined ? null : { url, key, name },
    keepsTranscripts: values.CHAT_LOG === 'on',
  };
}
