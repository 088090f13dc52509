package predict

import "slices"

const (
	// lengthBins parts the share of MaxTokens that an answer has into as many bins; one
	// more is for answers that run into the limit, which are many of one length.
	lengthBins = 24
	// lengthClasses is how many classes have a distribution of their own; others share.
	lengthClasses = 8
	// lengthForget weighs an answer that ended n answers ago by lengthForget^n.
	lengthForget = 0.998
	// classPull is how many answers of the whole count with those of a class.
	classPull = 60
	// startAnswers is how many answers the start counts for: as many ending at every
	// share, and limitStart running into the limit. It errs towards long.
	startAnswers = 6
	limitStart   = 0.35
)

// lengths learns what share of its MaxTokens an answer has, from those that ended. Of
// those that were cut short before it is only known that they were longer, which is
// what the hazard of each bin is for (Kaplan and Meier, JASA 53, 1958).
type lengths struct {
	all     lengthLaw
	classes []lengthLaw
}

// lengthLaw is the distribution of one class.
type lengthLaw struct {
	Class string
	Ended [Knots]float64 // answers that ended in the bin
	Risk  [Knots]float64 // that got as far as it
	// alive[k] is the probability of getting as far as bin k; alive[Knots] is 0.
	// beyond[k] is the expected share after the beginning of bin k of one that is new:
	// the integral of alive.
	alive  [Knots + 1]float64
	beyond [Knots + 1]float64
}

func newLengths() *lengths {
	l := &lengths{classes: make([]lengthLaw, 0, lengthClasses)}
	l.all.solve(nil)
	return l
}

// bin is where an answer of output tokens of at most limit belongs.
func bin(output, limit int) int {
	if output >= limit {
		return lengthBins
	}
	return output * lengthBins / limit
}

// learn adds an answer of output tokens; unless it ended there, it would have gone on.
func (l *lengths) learn(class string, output, limit int, ended bool) {
	if limit <= 0 {
		return
	}
	k := bin(output, limit)
	l.all.learn(k, ended)
	l.all.solve(nil)
	i := slices.IndexFunc(l.classes, func(c lengthLaw) bool { return c.Class == class })
	if i < 0 {
		if len(l.classes) == lengthClasses {
			return
		}
		i = len(l.classes)
		l.classes = append(l.classes, lengthLaw{Class: class})
	}
	l.classes[i].learn(k, ended)
	l.classes[i].solve(&l.all)
}

// of is the distribution for a class.
func (l *lengths) of(class string) *lengthLaw {
	for i := range l.classes {
		if l.classes[i].Class == class {
			return &l.classes[i]
		}
	}
	return &l.all
}

func (d *lengthLaw) learn(k int, ended bool) {
	for i := range d.Risk {
		d.Risk[i] *= lengthForget
		d.Ended[i] *= lengthForget
		if i < k || i == k && ended {
			d.Risk[i]++
		}
	}
	if ended {
		d.Ended[k]++
	}
}

// solve works out the probabilities, pulled towards those of the whole.
func (d *lengthLaw) solve(whole *lengthLaw) {
	d.alive[0] = 1
	for k := range lengthBins {
		hazard, pull := startHazard(k), float64(startAnswers)
		if whole != nil {
			pull = classPull * whole.alive[k]
			hazard = 1 - whole.alive[k+1]/max(whole.alive[k], 1e-9)
		}
		h := (d.Ended[k] + pull*hazard) / (d.Risk[k] + pull + 1e-9)
		d.alive[k+1] = d.alive[k] * (1 - min(max(h, 0), 1))
	}
	d.integrate()
}

// integrate works out beyond.
func (d *lengthLaw) integrate() {
	d.beyond[lengthBins] = 0
	for k := lengthBins - 1; k >= 0; k-- {
		d.beyond[k] = d.beyond[k+1] + (d.alive[k]+d.alive[k+1])/2/lengthBins
	}
}

// startHazard is that of a uniform distribution below the limit.
func startHazard(k int) float64 {
	return (1 - limitStart) / lengthBins / (1 - (1-limitStart)*float64(k)/lengthBins)
}

// survival is the probability that an answer has more than share of its limit.
func (d *lengthLaw) survival(share float64) float64 {
	switch {
	case share <= 0:
		return 1
	case share >= 1:
		return 0
	}
	x := share * lengthBins
	k := int(x)
	return d.alive[k] + (d.alive[k+1]-d.alive[k])*(x-float64(k))
}

// tail is the integral of survival from share to 1.
func (d *lengthLaw) tail(share float64) float64 {
	switch {
	case share <= 0:
		return d.beyond[0]
	case share >= 1:
		return 0
	}
	x := share * lengthBins
	k := int(x)
	f := x - float64(k)
	at := d.alive[k] + (d.alive[k+1]-d.alive[k])*f
	return d.beyond[k+1] + (1-f)*(at+d.alive[k+1])/2/lengthBins
}

// remaining is how many more tokens are expected of an answer that has output of limit;
// at least 1, as it has not ended.
func (d *lengthLaw) remaining(output, limit int) float64 {
	if output >= limit {
		return 1
	}
	m := float64(limit)
	share := float64(output) / m
	return max(1, d.tail(share)/max(d.survival(share), 1e-6)*m)
}
