import type { DeliveryChannel } from './delivery-port.ts';

/** What waits for a decision of the team. */
export interface WaitingDecisions {
  readonly cardApplications: number;
  readonly verificationRequests: number;
  readonly loanApplications: number;
}

/** A delivery that was given up, told without whom it was for. */
export interface DeadDelivery {
  readonly referenceNumber: string;
  readonly channel: DeliveryChannel;
  /** Unix ms; null where it is not known. */
  readonly finishedAt: number | null;
}

/** What the team has still to do, in numbers and references: nothing of a person. */
export interface BacklogStore {
  waitingDecisions(): Promise<WaitingDecisions>;
  /** Given up last first. */
  deadDeliveries(limit: number): Promise<readonly DeadDelivery[]>;
}
