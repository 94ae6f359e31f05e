import { type ComponentProps, lazy, Suspense } from 'react'

// The charts come with the first wall.
const WallChart = lazy(() => import('./WallChart'))

export function LazyChart(props: ComponentProps<typeof WallChart>) {
  return (
    <Suspense fallback={<div className="screen-chart" aria-busy="true" />}>
      <WallChart {...props} />
    </Suspense>
  )
}
