/** What `content/duckling/dialog.yaml` says, and the greeting of `content/duckling/words.yaml`. */
export interface DialogWords {
  readonly greeting: string;
  readonly title: string;
  readonly lead: string;
  readonly conversation: string;
  readonly label: string;
  readonly placeholder: string;
  readonly send: string;
  readonly thinking: string;
  readonly clear: string;
  readonly cleared: string;
  readonly close: string;
  readonly you: string;
  readonly count: string;
  readonly sources: string;
  readonly figure: string;
  readonly model: string;
  readonly warning: string;
  readonly removed: string;
  readonly helped: string;
  readonly up: string;
  readonly down: string;
  readonly thanks: string;
  readonly notCounted: string;
  readonly offline: string;
  readonly empty: string;
  readonly failed: string;
  readonly notSent: string;
  readonly tooMany: string;
}
