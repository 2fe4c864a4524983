import { isLongEnough, PASSWORD_AT_LEAST, PASSWORD_TOO_SHORT } from '../../../data/model/admin-rules.ts';

export const PASSWORD_HINT = `At least ${PASSWORD_AT_LEAST} characters.`;

/** What is wrong with a password that somebody chose and typed twice; null where the server may be asked. */
export function newPasswordFault(password: string, again: string): string | null {
  if (!isLongEnough(password)) return PASSWORD_TOO_SHORT;
  return password === again ? null : 'Passwords do not match';
}
