/** Hosts that ignore dots in mailbox names. */
const WITHOUT_DOTS = new Set(['gmail.com', 'googlemail.com']);

/**
 * The mailbox to which a mail address most likely belongs, for counting only: mails go to the address as typed. Addresses
 * of one mailbox differ by case, a tag after a plus, and Gmail's dots and second domain.
 */
export function mailboxOf(address: string): string {
  const [, local = '', host = ''] = /^(.*)@([^@]*)$/.exec(address.toLowerCase()) ?? [];
  const untagged = local.replace(/(?<=.)\+.*$/, '');
  return WITHOUT_DOTS.has(host) ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${host}`;
}

const ADDRESS = /^[^\s<>()[\]\\,;:@"\p{Cc}]+@[^\s<>()[\]\\,;:@"\p{Cc}]+$/u;

/** Whether a text is one mail address, safe in a header: no list, name, space or special character. */
export function isSoleMailAddress(text: string): boolean {
  return text.length <= 254 && ADDRESS.test(text);
}
