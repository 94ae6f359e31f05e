import { type ComponentProps, lazy, Suspense, useContext } from 'react'

import { ScaleContext } from './contexts'

// The charts come with the first wall.
const WallChart = lazy(() => import('./WallChart'))

export function LazyChart(props: Omit<ComponentProps<typeof WallChart>, 'scale'>) {
  const scale = useContext(ScaleContext)
  return (
    <Suspense fallback={<div className="screen-chart" aria-busy="true" />}>
      <WallChart key={scale} {...props} scale={scale} />
    </Suspense>
  )
}
