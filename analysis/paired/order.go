package paired

import "math/rand/v2"

// orderStream separates the draws of orders from others of the same seed.
const orderStream = 0x6F72646572 // "order"

// Orders draws for each of n blocks the order in which it measures its arms 0 … arms−1:
// every order has the same chance, whatever the other blocks have. With two arms it is
// a fair coin. Block i of a seed has the same order however many there are.
func Orders(n, arms int, seed uint64) [][]int {
	r := rand.New(rand.NewPCG(seed, orderStream))
	orders := make([][]int, n)
	for i := range orders {
		orders[i] = r.Perm(arms)
	}
	return orders
}
