import { theme } from 'antd'
import { LineChart } from 'echarts/charts'
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components'
import { type EChartsType, init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useRef } from 'react'
import { chartLines, fontFamily, fontSize, motion_ms } from '../theme'
import { numberText } from './statistics'

use([LineChart, GridComponent, LegendComponent, TooltipComponent, CanvasRenderer])

export interface ChartLine {
  title: string
  unit: string
  percent: boolean
  values: readonly (number | null)[]
}

interface TrendChartProps {
  label: string
  names: readonly string[]
  lines: readonly ChartLine[]
}

/** The second sign of a line, beside its colour. */
const strokes = ['solid', 'dashed', 'dotted'] as const
const symbols = ['circle', 'rect', 'triangle', 'diamond', 'emptyCircle', 'emptyRect'] as const

const still = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches

/** Lines over time; percentages by the axis at the right. */
export default function TrendChart({ label, names, lines }: TrendChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<EChartsType>(null)
  const { token } = theme.useToken()

  useEffect(() => {
    if (!box.current) return undefined
    const drawn = init(box.current)
    chart.current = drawn
    const observer = new ResizeObserver(() => drawn.resize())
    observer.observe(box.current)
    return () => {
      observer.disconnect()
      drawn.dispose()
      chart.current = null
    }
  }, [])

  useEffect(() => {
    const weak = { color: token.colorTextSecondary, fontFamily, fontSize: fontSize.caption }
    const axis = {
      type: 'value' as const,
      // What was taken back may be more than what came.
      min: ({ min }: { min: number }) => Math.min(0, min),
      axisLabel: weak,
      nameTextStyle: weak,
      splitLine: { lineStyle: { color: token.colorBorderSecondary } },
    }
    const hasPercent = lines.some(({ percent }) => percent)
    chart.current?.setOption(
      {
        animation: !still(),
        animationDuration: motion_ms.change,
        animationDurationUpdate: motion_ms.change,
        textStyle: { fontFamily },
        color: [token.colorPrimary, ...chartLines],
        grid: { left: 8, right: 8, top: 48, bottom: 4, containLabel: true },
        legend: { type: 'scroll', top: 0, left: 0, textStyle: { ...weak, color: token.colorText }, icon: 'roundRect', itemWidth: 16, itemHeight: 4 },
        tooltip: {
          trigger: 'axis',
          backgroundColor: token.colorBgElevated,
          borderColor: token.colorBorderSecondary,
          textStyle: { ...weak, color: token.colorText },
          confine: true,
        },
        xAxis: {
          type: 'category',
          data: [...names],
          boundaryGap: false,
          axisLabel: { ...weak, hideOverlap: true },
          axisLine: { lineStyle: { color: token.colorBorder } },
        },
        yAxis: hasPercent ? [axis, { ...axis, max: 100, axisLabel: { ...weak, formatter: '{value}%' }, splitLine: { show: false } }] : [axis],
        series: lines.map(({ title, unit, percent, values }, index) => ({
          type: 'line' as const,
          name: title,
          yAxisIndex: percent ? 1 : 0,
          data: [...values],
          connectNulls: false,
          showSymbol: names.length <= 31,
          symbol: symbols[index % symbols.length],
          symbolSize: 5,
          lineStyle: { width: 2, type: strokes[Math.floor(index / 2) % strokes.length] },
          tooltip: { valueFormatter: (value: unknown) => `${numberText(typeof value === 'number' ? value : null, unit)}${unit === '' ? '' : ` ${unit}`}` },
        })),
      },
      { notMerge: true },
    )
  }, [names, lines, token])

  return <div ref={box} className="trend-chart" role="img" aria-label={label} />
}
