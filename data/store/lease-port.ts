/** A lease that a program got. */
export interface HeldLease {
  /** Grows whenever the lease gets another holder. A store refuses the writes of a holder with a lower one. */
  readonly fence: number;
}

/**
 * Leases: what only one of several programs may do at a time. A lease ends by the clock of the store, so the clocks of the programs
 * do not matter. A program that was stopped may believe that it still holds a lease, so its writes need the fence as well.
 */
export interface LeaseStore {
  /**
   * Takes a lease that nobody holds. Its holder may also take it again, such as after an answer got lost.
   * @param holder a name that no other program has
   * @param duration in milliseconds
   * @returns null while another program holds it
   */
  take(name: string, holder: string, duration: number): Promise<HeldLease | null>;
  /** Extends a lease from now on. @returns false if another program took it since */
  renew(name: string, lease: HeldLease, duration: number): Promise<boolean>;
  /** Ends a lease, so that another program can take it at once. Has no effect if another program took it since. */
  release(name: string, lease: HeldLease): Promise<void>;
}
