import { z } from 'zod';
import { ALERT_CODES, type AlertCode, isAlertCode } from '../model/alerts.ts';
import { isSoleMailAddress } from '../model/mail-address.ts';
import { CHAT_ID_PATTERN } from './delivery-variables.ts';
import { type ConfigProblem, type GivenVariables, problemsIfMissing } from './variable-types.ts';

export interface AlertConfig {
  readonly codes: readonly AlertCode[];
  /** Where alerts are sent. A null field means the team's own email address or chat. */
  readonly email: string | null;
  readonly chatId: string | null;
}

export const ALERT_VARIABLES = {
  ALERTS: z
    .string()
    .transform((text, context): readonly AlertCode[] => {
      if (text === 'on') return ALERT_CODES;
      if (text === 'off') return [];
      const entries = text.split(',').map((part) => part.trim());
      const disabledCodes = entries.map((part) => part.slice(1)).filter(isAlertCode);
      if (disabledCodes.length === entries.length && entries.every((part) => part.startsWith('-')))
        return ALERT_CODES.filter((code) => !disabledCodes.includes(code));
      context.addIssue(
        `is not valid. Set it to on, off, or a comma-separated list of alerts to turn off, each with a minus sign, such as -quote-stale,-disk-low. The alerts are ${ALERT_CODES.join(', ')}.`,
      );
      return z.NEVER;
    })
    .default(ALERT_CODES),
  ALERT_EMAIL: z
    .string()
    .refine(isSoleMailAddress, 'is not an email address. Set it to one address for alerts, or remove it.')
    .optional(),
  ALERT_TELEGRAM_CHAT_ID: z
    .string()
    .regex(
      CHAT_ID_PATTERN,
      'is not a Telegram chat id. Set it to the id of the chat for alerts, such as -1001234567890.',
    )
    .optional(),
};

export function alertConfig(values: z.infer<z.ZodObject<typeof ALERT_VARIABLES>>): AlertConfig {
  const { ALERTS: codes, ALERT_EMAIL: email = null, ALERT_TELEGRAM_CHAT_ID: chatId = null } = values;
  return { codes, email, chatId };
}

export function alertConflicts(variables: GivenVariables): readonly ConfigProblem[] {
  const requirementProblems = (variable: string, neededVariable: string) =>
    variables[variable] === undefined
      ? []
      : problemsIfMissing(variables, [neededVariable], `is not set. It is needed with ${variable}.`);
  return [
    ...requirementProblems('ALERT_EMAIL', 'SMTP_URL'),
    ...requirementProblems('ALERT_TELEGRAM_CHAT_ID', 'TELEGRAM_BOT_TOKEN'),
  ];
}
