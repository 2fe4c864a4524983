/** The one-time links that replicas offer until the first admin exists. Each one is valid for a day. */
export interface SetupLinks {
  /** @param digest of the link's token */
  offer(digest: string): Promise<void>;
  /** Whether a replica offers a link with this digest. */
  isOffered(digest: string): Promise<boolean>;
}
