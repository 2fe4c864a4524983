/** Hosts whose mailboxes have no dots of their own. */
const WITHOUT_DOTS = new Set(['gmail.com', 'googlemail.com']);

/**
 * The mailbox that a mail address most likely goes to, for counting alone: what is sent goes to the address as it is
 * written. Case, a tag after a plus, and Gmail's dots and second name make other addresses of one mailbox.
 */
export function mailboxOf(address: string): string {
  const [, local = '', host = ''] = /^(.*)@([^@]*)$/.exec(address.toLowerCase()) ?? [];
  const untagged = local.replace(/(?<=.)\+.*$/, '');
  return WITHOUT_DOTS.has(host) ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${host}`;
}
