/** An endpoint does not keep the history of an account down to what is indexed of it: there would be a hole. */
export class HistoryGapError extends Error {
  override readonly name = 'HistoryGapError';
  /** Its name, as replies give it. */
  readonly endpoint: string;

  constructor(endpoint: string, account: string) {
    super(
      `${endpoint} does not keep the history of ${account} down to what is indexed of it, so nothing of it is taken. ` +
        'Add an endpoint that keeps the whole history to SOLANA_RPC_URLS.',
    );
    this.endpoint = endpoint;
  }
}
