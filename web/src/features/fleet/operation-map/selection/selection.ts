/** Bikes that something was drawn around. */
export interface Selection {
  readonly slots: readonly number[]
  /** Of how many in what was drawn. */
  readonly total: number
}
