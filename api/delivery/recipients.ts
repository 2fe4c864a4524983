import type { LeasedDelivery } from '../../data/store/delivery-port.ts';

type Addressed = Pick<LeasedDelivery, 'audience' | 'recipient'>;

/** The mail address of a delivery; what the team's is, the configuration says. Empty where it has none. */
export function mailRecipient({ audience, recipient }: Addressed, team: string): string {
  return recipient ?? (audience === 'team' ? team : '');
}

/** The chat of a delivery; what the team's is, the configuration says. */
export function chatRecipient({ recipient }: Addressed, team: string): string {
  return recipient ?? team;
}
