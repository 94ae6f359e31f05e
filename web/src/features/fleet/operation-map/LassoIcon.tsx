/** A loop drawn by hand, in the manner of the other signs. */
export function LassoIcon() {
  return (
    <svg viewBox="0 0 16 16" width="1em" height="1em" fill="none" stroke="currentColor" strokeWidth="1.4" aria-hidden>
      <ellipse cx="8" cy="6" rx="6.3" ry="4.3" strokeDasharray="3 1.6" />
      <path d="M4 9.5c-1.4.8-1.6 2.3-.4 2.9 1.3.6 2.2-.9 1-1.7M4.6 12.6c0 1.3-.6 2-1.6 2.6" />
    </svg>
  )
}
