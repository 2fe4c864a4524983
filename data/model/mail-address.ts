import { MAX_MAIL_ADDRESS_LENGTH } from './form-text.ts';

const HOSTS_IGNORING_DOTS = new Set(['gmail.com', 'googlemail.com']);

/** Yahoo's hosts, where a mailbox can have additional addresses of the form `name-tag`. */
const YAHOO_HOSTS = /^(?:yahoo\.[a-z.]+|ymail\.com|rocketmail\.com)$/;

/**
 * The mailbox that an email address most likely belongs to. Use it only to count or compare addresses, or to find a person's
 * addresses: emails go to the address as typed. Addresses of the same mailbox may differ in case and in a tag after a plus.
 * At Gmail they may also differ in dots and the domain, and at Yahoo in the part after a hyphen.
 */
export function mailboxOf(address: string): string {
  const [, local = '', host = ''] = /^(.*)@([^@]*)$/.exec(address.toLowerCase()) ?? [];
  const untaggedName = local.replace(/(?<=.)\+.*$/, '');
  if (YAHOO_HOSTS.test(host)) return `${untaggedName.replace(/(?<=.)-.*$/, '')}@${host}`;
  return HOSTS_IGNORING_DOTS.has(host)
    ? `${untaggedName.replaceAll('.', '')}@gmail.com`
    : `${untaggedName}@${host}`;
}

const MAIL_ADDRESS = /^[^\s<>()[\]\\,;:@"\p{Cc}]+@[^\s<>()[\]\\,;:@"\p{Cc}]+$/u;

/** Whether a text is a single email address that is safe in a header: no list, name, space or special character. */
export function isSoleMailAddress(text: string): boolean {
  return text.length <= MAX_MAIL_ADDRESS_LENGTH && MAIL_ADDRESS.test(text);
}
